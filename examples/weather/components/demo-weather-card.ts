import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import { look } from "./_look.js";
import { fahrenheit } from "./_weather.js";

/** The weather in a city. Its data is in °C; it shows °F, until somebody asks for the other. */
@customElement("demo-weather-card")
export class DemoWeatherCard extends LitElement {
  static override styles = [
    look,
    css`
      article {
        display: inline-block;
        vertical-align: top;
      }
      .temperature {
        font-size: 1.5rem;
        font-weight: 700;
      }
      button {
        margin-top: 0.5rem;
      }
    `,
  ];

  @property() city = "";
  @property({ type: Number }) tempC: number | null = null;
  @property() summary = "";
  /** Without the button, which is of no use where no script runs. */
  @property({ type: Boolean }) plain = false;
  @state() private inCelsius = false;

  override render() {
    return html`
      <article>
        <h2>${this.city}</h2>
        <p class="temperature">${this.temperature}</p>
        <p>${this.summary}</p>
        ${this.plain ? nothing : html`<button type="button" @click=${this.turn}>Change unit</button>`}
      </article>
    `;
  }

  private get temperature() {
    const unit = this.inCelsius ? "°C" : "°F";
    if (this.tempC === null) return `- ${unit}`;
    return `${this.inCelsius ? this.tempC : fahrenheit(this.tempC)} ${unit}`;
  }

  private turn() {
    this.inCelsius = !this.inCelsius;
  }
}
