/** The address of the file that `product-marks-plugin.ts` makes. */
declare module 'virtual:product-marks' {
  const address: string;
  export default address;
}
