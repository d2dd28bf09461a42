/** The card as plain HTML, which the class App of ext-apps tells its data. */
import { App } from "@modelcontextprotocol/ext-apps";

const [city, temperature, summary] = ["h2", ".temperature", "#summary"].map((it) => document.querySelector(it)!);
let tempC = 0;
let inCelsius = false;

function show() {
  temperature.textContent = inCelsius ? `${tempC} °C` : `${Math.round((tempC * 9) / 5 + 32)} °F`;
}

document.querySelector("button")!.addEventListener("click", () => {
  inCelsius = !inCelsius;
  show();
});

const app = new App({ name: "Weather", version: "1.0.0" });
app.ontoolresult = ({ structuredContent }) => {
  const data = structuredContent as { city: string; temp_c: number; summary: string };
  [city.textContent, summary.textContent, tempC] = [data.city, data.summary, data.temp_c];
  show();
};
app.connect();
