// @ts-check
/** A textarea as high as its text: by CSS where the browser can, else by measuring. */

/** @param {HTMLTextAreaElement} area */
export function grow(area) {
  if (CSS.supports("field-sizing", "content")) return;
  const fit = () => {
    area.style.blockSize = "auto";
    area.style.blockSize = `${area.scrollHeight}px`;
  };
  area.addEventListener("input", fit);
  requestAnimationFrame(fit);
}
