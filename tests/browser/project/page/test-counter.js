/** A component as hydration wants it: it takes over the nodes that were sent, and counts from the property it was given. */
class TestCounter extends HTMLElement {
  connectedCallback() {
    this.wasSent = this.shadowRoot !== null;
    this.button = this.shadowRoot.querySelector("button");
    this.button.addEventListener("click", () => {
      this.count += 1;
      this.button.textContent = this.count;
    });
  }
}
customElements.define("test-counter", TestCounter);
