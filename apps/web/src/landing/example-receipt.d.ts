/** Made by `example-receipt-plugin.ts` from docs/receipt-vectors.json. */
declare module 'virtual:example-receipt' {
  const example: import('../orders/receipt-check/check-receipt.ts').Example;
  export default example;
}
