import { LitElement, html, css, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { classMap } from "lit/directives/class-map.js";
import { styleMap } from "lit/directives/style-map.js";
import { ifDefined } from "lit/directives/if-defined.js";

class Card extends LitElement {
  static properties = { city: { type: String, reflect: true }, tempC: { type: Number }, hot: { type: Boolean } };
  static styles = [css`:host { display: block }`, css`b > i { color: ${css`red`} }`];
  render() {
    return html`<b class=${classMap({ hot: !!this.hot, card: true })}>${this.city}</b><i>${Math.round(this.tempC * 1.8 + 32)} °F</i><slot></slot>`;
  }
}
customElements.define("demo-card", Card);

class List extends LitElement {
  static properties = { items: { attribute: false } };
  render() {
    return html`<ul>${repeat(this.items ?? [], (item) => item.id, (item, n) => html`<li ?first=${n === 0}>${item.name}<demo-card .city=${item.name} .tempC=${item.id}></demo-card></li>`)}</ul>`;
  }
}
customElements.define("demo-list", List);

class Table extends LitElement {
  static properties = { rows: { attribute: false } };
  static styles = css`td { padding: 0 }`;
  render() {
    return html`<table>${(this.rows ?? []).map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</table>`;
  }
}
customElements.define("demo-table", Table);

class Price extends LitElement {
  static properties = { amount: {}, when: {} };
  render() {
    const money = new Intl.NumberFormat("de-DE", { style: "currency", currency: "EUR" }).format(this.amount);
    const day = new Intl.DateTimeFormat("ja-JP", { dateStyle: "full", timeZone: "UTC" }).format(new Date(this.when ?? 0));
    return html`<span>${money}</span><time>${day}</time><em>${(1234567.891).toLocaleString("hi-IN")}</em>`;
  }
}
customElements.define("demo-price", Price);

class Frame extends LitElement {
  static properties = { label: {}, width: {}, href: {} };
  render() {
    return html`<section style=${styleMap({ width: this.width ?? null })}><a href=${ifDefined(this.href)}>${this.label || nothing}</a><slot name="head">none</slot><slot></slot></section>`;
  }
}
customElements.define("demo-frame", Frame);

class Any extends LitElement {
  static properties = { value: { attribute: false } };
  render() {
    return html`<p title=${String(this.value)} .x=${this.value}>${typeof this.value === "object" ? JSON.stringify(this.value) : this.value}</p>`;
  }
}
customElements.define("demo-any", Any);

class Raw extends LitElement {
  static properties = { value: { attribute: false } };
  render() { return html`<p>${this.value}</p>`; }
}
customElements.define("demo-raw", Raw);
