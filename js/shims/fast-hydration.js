// Cards arrive long after the page, so hydration never ends; and one that was stored before its component changed is rendered anew.

import { ElementController } from "@microsoft/fast-element";
import { enableHydration, StopHydration } from "@microsoft/fast-element/hydration.js";

/** On what was rendered, and on the <f-template> in the page: the digest of the template. */
const DIGEST = "data-litro-template";

enableHydration({ stopHydration: StopHydration.never });

const hydrate = ElementController.hydrationHook;
ElementController.installHydrationHook((controller, template, element, host) => {
  // Where it is not hydrated, FAST clears what is there and renders from the properties.
  if (isStale(element)) return false;
  try {
    return hydrate(controller, template, element, host);
  } catch {
    controller.view = null;
    return false;
  }
});

/** FAST itself notices few changes: it counts bindings, and takes one element for another. */
function isStale(element) {
  const sent = element.getAttribute(DIGEST);
  element.removeAttribute(DIGEST);
  const name = CSS.escape(element.localName);
  const now = document.querySelector(`f-template[name="${name}"]`)?.getAttribute(DIGEST);
  return Boolean(sent && now && sent !== now);
}
