import { FASTElement, observable } from "@microsoft/fast-element";
import { declarativeTemplate } from "@microsoft/fast-element/declarative.js";

/** demo-weather-card's twin in FAST. */
class FWeatherCard extends FASTElement {
  turn() {
    this.inCelsius = !this.inCelsius;
  }
}
for (const name of ["city", "tempC", "tempF", "summary", "inCelsius"]) observable(FWeatherCard.prototype, name);
FWeatherCard.define({ name: "f-weather-card", template: declarativeTemplate() });
