import { FASTElement, observable } from "@microsoft/fast-element";
import { declarativeTemplate } from "@microsoft/fast-element/declarative.js";

/** demo-weather-card's twin in FAST. */
class FWeatherCard extends FASTElement {
  // The server was told; a host that fills the card tells °C alone.
  tempCChanged() {
    if (typeof this.tempC === "number") this.tempF = Math.round((this.tempC * 9) / 5 + 32);
  }
  turn() {
    this.inCelsius = !this.inCelsius;
  }
}
for (const name of ["city", "tempC", "tempF", "summary", "inCelsius", "plain"]) observable(FWeatherCard.prototype, name);
FWeatherCard.define({ name: "f-weather-card", template: declarativeTemplate() });
