import { css, html, LitElement } from "lit";
import { customElement, property, state } from "lit/decorators.js";

/** The weather in a city. Its data is in °C; it shows °F, until somebody asks for the other. */
@customElement("demo-weather-card")
export class DemoWeatherCard extends LitElement {
  static override styles = css`
    article {
      display: inline-block;
      padding: 0.75rem 1rem;
      border: 1px solid;
      border-radius: 0.75rem;
    }
    h2,
    p {
      margin: 0;
      font-size: 1rem;
    }
    .temperature {
      font-size: 1.5rem;
      font-weight: 700;
    }
    button {
      margin-top: 0.5rem;
      padding: 0.25rem 0.75rem;
      border: 1px solid;
      border-radius: 0.5rem;
      background: none;
      color: inherit;
      font: inherit;
      font-size: 0.875rem;
      cursor: pointer;
    }
  `;

  @property() city = "";
  @property({ type: Number }) tempC = 0;
  @property() summary = "";
  @state() private inCelsius = false;

  override render() {
    const temperature = this.inCelsius ? `${this.tempC} °C` : `${Math.round((this.tempC * 9) / 5 + 32)} °F`;
    return html`
      <article>
        <h2>${this.city}</h2>
        <p class="temperature">${temperature}</p>
        <p>${this.summary}</p>
        <button type="button" @click=${this.turn}>Change unit</button>
      </article>
    `;
  }

  private turn() {
    this.inCelsius = !this.inCelsius;
  }
}
