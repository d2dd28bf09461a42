import { html, LitElement } from "lit";
import { customElement, property } from "lit/decorators.js";

@customElement("lit-badge")
export class LitBadge extends LitElement {
  @property({ attribute: false }) value = 0;

  override render() {
    return html`<span>${this.value}°C</span>`;
  }
}
