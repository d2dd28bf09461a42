import { css, html, LitElement } from "lit";
import { repeat } from "lit/directives/repeat.js";

import "./lit-badge.ts";

class LitCard extends LitElement {
  static styles = css`
    h2 {
      color: rgb(1, 2, 3);
    }
  `;
  static properties = { title: { attribute: false }, tempC: {}, days: {}, clicks: { state: true } };

  constructor() {
    super();
    this.clicks = 0;
    this.days = [];
  }

  render() {
    const days = repeat(this.days, ({ name }) => name, ({ name, tempC }) => html`<li data-day=${name}>${name}: ${tempC}</li>`);
    const more = () => this.clicks++;
    return html`<h2>${this.title}</h2>
      <lit-badge .value=${this.tempC}></lit-badge>
      ${this.days.length ? html`<ul>${days}</ul>` : null}
      <button @click=${more}>${this.clicks} clicks</button>
      <slot></slot>`;
  }
}
customElements.define("lit-card", LitCard);
