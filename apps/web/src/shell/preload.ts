type Preloader = (path: string) => Promise<void>;
let preloader: Preloader = async () => {};

/** Told once at the start: links know of no view, or every view would depend on every other. */
export function setPreloader(preload: Preloader): void {
  preloader = preload;
}

/** Fetches what a path will need, because the reader's finger is on its link. A failure shows at the visit itself. */
export function preload(path: string): void {
  preloader(path).catch(() => {});
}
