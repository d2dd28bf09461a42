/**
 * The frame between a host and an app, of another origin than the host: it writes the app's document into a frame of its own, and passes
 * on every message but those that are meant for it. The server that sends it sends the app's policy with it.
 */
const HOST = new URL(document.referrer).origin;
const FOR_US = "ui/notifications/sandbox-";

const app = document.createElement("iframe");
app.style = "display: block; width: 100%; height: 100vh; border: 0";
app.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
document.body.style = "margin: 0";
document.body.append(app);

addEventListener("message", ({ source, origin, data }) => {
  if (source === app.contentWindow) parent.postMessage(data, HOST);
  if (source !== parent || origin !== HOST) return;
  if (data?.method === `${FOR_US}resource-ready`) write(data.params.html);
  else if (!data?.method?.startsWith(FOR_US)) app.contentWindow.postMessage(data, "*");
});
parent.postMessage({ jsonrpc: "2.0", method: `${FOR_US}proxy-ready`, params: {} }, HOST);

function write(html) {
  app.contentDocument.open();
  app.contentDocument.write(html);
  app.contentDocument.close();
}
