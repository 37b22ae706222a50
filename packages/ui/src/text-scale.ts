import { useSyncExternalStore } from 'react';

const USUAL_PX = 16;
const read = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL_PX;

let scale = 1;

/** The text size that the reader has set in the browser: 1 is the usual one. What is drawn in pixels is multiplied by it. */
export const textScale = (): number => scale;

/** Calls back when the text size changes; an element as wide as a letter shows it. */
function follow(onChange: () => void): () => void {
  const probe = document.createElement('div');
  probe.style.cssText = 'position: absolute; width: 1rem; visibility: hidden';
  document.body.append(probe);
  const observer = new ResizeObserver(onChange);
  observer.observe(probe);
  return () => {
    observer.disconnect();
    probe.remove();
  };
}

/** {@link textScale}, for parts that are drawn anew when it changes. */
export const useTextScale = (): number =>
  useSyncExternalStore(follow, () => {
    scale = read();
    return scale;
  });
