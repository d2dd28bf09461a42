import { html, LitElement } from "lit";

export class PriceCard extends LitElement {
  static properties = { symbol: {} };

  render() {
    return html`<b>${this.symbol}</b>`;
  }
}
customElements.define("price-card", PriceCard);
