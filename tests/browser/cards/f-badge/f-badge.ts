import { attr, FASTElement } from "@microsoft/fast-element";
import { declarativeTemplate } from "@microsoft/fast-element/declarative.js";

export class FBadge extends FASTElement {
  @attr declare value: string;
}
FBadge.define({ name: "f-badge", template: declarativeTemplate() });
