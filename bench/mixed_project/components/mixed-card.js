import { LitElement, css, html } from "lit";
class MixedCard extends LitElement {
  static properties = { city: {}, tempC: { type: Number } };
  static styles = css`:host { display: block; border: 1px solid } h3 { margin: 0 }`;
  render() { return html`<h3>${this.city}</h3><p>${this.tempC} °C</p>`; }
}
customElements.define("mixed-card", MixedCard);
