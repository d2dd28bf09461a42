import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import { ask } from "./_host.js";
import { look } from "./_look.js";
import { fahrenheit, type Weather } from "./_weather.js";

const COLDEST = -20;
const WARMEST = 45;

/** Several cities' weather, the warmest first. In an MCP host, more cities can be looked up. */
@customElement("weather-explorer")
export class WeatherExplorer extends LitElement {
  static override styles = [
    look,
    css`
      :host {
        display: block;
      }
      article {
        display: grid;
        gap: 0.75rem;
      }
      .search {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
        align-items: end;
      }
      label {
        display: grid;
        flex: 1 1 10rem;
        gap: 0.25rem;
        font-size: 0.875rem;
      }
      input {
        inline-size: 100%;
        min-inline-size: 0;
      }
      ul {
        display: grid;
        gap: 0.5rem;
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto auto;
        gap: 0.25rem 0.75rem;
        align-items: center;
      }
      .summary,
      p {
        color: var(--color-text-secondary, inherit);
        font-size: 0.875rem;
      }
      b {
        font-size: 1.125rem;
        font-variant-numeric: tabular-nums;
      }
      .bar {
        grid-column: 1 / -1;
        block-size: 0.375rem;
        border-radius: var(--border-radius-full, 1rem);
        background: linear-gradient(to right, #3a86d6, #e8a33d, #d6463a) left / 100cqi;
      }
      .scale {
        grid-column: 1 / -1;
        border-radius: var(--border-radius-full, 1rem);
        background: var(--color-background-secondary, color-mix(in srgb, currentColor 12%, transparent));
        container-type: inline-size;
      }
      li button {
        padding: 0 0.5rem;
      }
    `,
  ];

  @property({ type: Array }) places: Weather[] = [];
  /** The tool that looks a city up. There is no search without one, as in the chat. */
  @property() tool = "";
  /** What the host's own call of the tool came to, where it failed. */
  @property() toolError: string | null = null;
  @state() private isAsking = false;
  @state() private problem = "";

  override render() {
    const places = [...this.places].sort((one, other) => other.temp_c - one.temp_c);
    return html`
      <article>
        ${this.tool ? this.search : nothing}
        <ul>
          ${places.map((place) => this.row(place))}
        </ul>
        <p role="status">${this.problem || this.toolError || compared(places)}</p>
      </article>
    `;
  }

  // No form: some hosts' sandboxes let none be submitted.
  private get search() {
    return html`
      <div class="search" role="search">
        <label>
          City
          <input maxlength="80" autocomplete="off" enterkeyhint="search" @keydown=${this.enter} />
        </label>
        <button type="button" aria-disabled=${this.isAsking} @click=${this.add}>Compare</button>
      </div>
    `;
  }

  private row({ city, temp_c, summary }: Weather) {
    const share = (Math.min(Math.max(temp_c, COLDEST), WARMEST) - COLDEST) / (WARMEST - COLDEST);
    return html`
      <li>
        <span>${city} <span class="summary">${summary}</span></span>
        <b>${fahrenheit(temp_c)} °F</b>
        ${this.tool
          ? html`<button type="button" aria-label="Remove ${city}" @click=${() => this.remove(city)}>×</button>`
          : nothing}
        <div class="scale"><div class="bar" style="inline-size: ${Math.max(share, 0.02) * 100}%"></div></div>
      </li>
    `;
  }

  private enter(event: KeyboardEvent) {
    if (event.key === "Enter" && !event.isComposing) void this.add();
  }

  private async add() {
    const input = this.renderRoot.querySelector("input");
    const city = input?.value.trim();
    if (!input || !city || this.isAsking) return;
    this.isAsking = true;
    try {
      const { structuredContent } = await ask(this.tool, { city });
      const found = structuredContent as Weather;
      this.places = [...this.places.filter((place) => place.city !== found.city), found];
      this.problem = "";
      input.value = "";
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      this.isAsking = false;
    }
  }

  private remove(city: string) {
    this.places = this.places.filter((place) => place.city !== city);
  }
}

/** What the warmest and the coldest place, in this order, have between them. */
function compared(places: Weather[]) {
  const [warmest, coldest] = [places.at(0), places.at(-1)];
  if (!warmest || !coldest || warmest === coldest) return "Two cities or more can be compared.";
  const apart = fahrenheit(warmest.temp_c) - fahrenheit(coldest.temp_c);
  if (!apart) return "It is as warm everywhere.";
  return `${warmest.city} is ${apart} °F warmer than ${coldest.city}.`;
}
