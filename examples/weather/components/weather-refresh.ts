import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import "./demo-weather-card.js";
import { ask } from "./_host.js";
import { look } from "./_look.js";

/** The weather in a city, and when it was read. In an MCP host, a button reads it anew. */
@customElement("weather-refresh")
export class WeatherRefresh extends LitElement {
  static override styles = [
    look,
    css`
      :host {
        display: block;
      }
      div {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem 1rem;
        align-items: center;
        min-height: 2.25rem;
        margin-top: 0.5rem;
      }
      p {
        color: var(--color-text-secondary, inherit);
        font-size: 0.875rem;
        font-variant-numeric: tabular-nums;
      }
    `,
  ];

  @property() city = "";
  @property({ type: Number }) tempC: number | null = null;
  @property() summary = "";
  /** When it was read, in ISO 8601 and UTC. */
  @property() readAt = "";
  /** The tool that reads it. There is no button without one, as in the chat. */
  @property() tool = "";
  /** What the host's own call of the tool came to, where it failed. */
  @property() toolError: string | null = null;
  @state() private isAsking = false;
  @state() private problem = "";

  override render() {
    return html`
      <demo-weather-card .city=${this.city} .tempC=${this.tempC} .summary=${this.summary}></demo-weather-card>
      <div>
        ${this.tool
          ? html`<button type="button" aria-disabled=${this.isAsking || !this.city} @click=${this.refresh}>Read again</button>`
          : nothing}
        <p role="status">${this.problem || this.toolError || this.words}</p>
      </div>
    `;
  }

  private get words() {
    return this.readAt ? html`Read at <time datetime=${this.readAt}>${this.readAt.slice(11, 19)}</time> UTC` : nothing;
  }

  private async refresh() {
    if (this.isAsking || !this.city) return;
    this.isAsking = true;
    try {
      window.litroMcp?.applyResult(await ask(this.tool, { city: this.city }));
      this.problem = "";
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      this.isAsking = false;
    }
  }
}
