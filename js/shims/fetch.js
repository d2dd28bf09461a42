// Instead of node-fetch, which @lit-labs/ssr's DOM shim imports: Node has had its own `fetch` since 18.

export default globalThis.fetch;
