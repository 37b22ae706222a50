/** The part of libheif-js that is used; its own types are not those of this entry. */
declare module 'libheif-js/wasm-bundle.js' {
  interface HeifImage {
    get_width(): number;
    get_height(): number;
    /** Fills `into.data` with RGBA, upright; null if that fails. */
    display<T>(into: T, done: (shown: T | null) => void): void;
  }
  const libheif: {
    ready: Promise<unknown>;
    HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] };
  };
  export default libheif;
}
