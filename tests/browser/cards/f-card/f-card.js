import { attr, FASTElement, observable } from "@microsoft/fast-element";
import { declarativeTemplate } from "@microsoft/fast-element/declarative.js";

class FCard extends FASTElement {
  more() {
    this.clicks++;
  }
}
for (const name of ["title", "tempC"]) attr(FCard.prototype, name);
for (const name of ["days", "clicks"]) observable(FCard.prototype, name);
FCard.define({ name: "f-card", template: declarativeTemplate() });
