type Preloader = (path: string) => Promise<void>;
let preloader: Preloader = async () => {};

/** Called once at the start. Links do not import views, or every view would depend on every other. */
export function setPreloader(preload: Preloader): void {
  preloader = preload;
}

/** Loads a path's code when its link is pressed. A failure shows at the navigation itself. */
export function preload(path: string): void {
  preloader(path).catch(() => {});
}
