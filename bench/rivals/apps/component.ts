/** The example's own component, which the class App of ext-apps tells its data. */
import { App } from "@modelcontextprotocol/ext-apps";
import type { DemoWeatherCard } from "weather-card";
import "weather-card";

const card = document.querySelector("demo-weather-card") as DemoWeatherCard;
const app = new App({ name: "Weather", version: "1.0.0" });
app.ontoolresult = ({ structuredContent }) => {
  const { city, temp_c: tempC, summary } = structuredContent as { city: string; temp_c: number; summary: string };
  Object.assign(card, { city, tempC, summary });
};
app.connect();
