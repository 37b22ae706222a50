import { useEffect, useRef } from 'react';

/**
 * Lets the browser's way back close what lies over a page: a sheet, a dialog, a menu. Each open layer has one history entry of the
 * same URL, with its depth as `layers` in the entry's state, so that a way back leaves the page only when no layer is open.
 */
interface Layer {
  close(): void;
}

/** Time after which a traversal that has not arrived is given up, because browsers ignore traversals that are too frequent. */
const GIVE_UP_MS = 1_000;

/** The open layers, the topmost last. */
const open: Layer[] = [];
/** Calls that wait for the end of a traversal; null while there is no traversal. */
let waiting: (() => void)[] | null = null;
let shownHref = globalThis.location?.href;

/** The number of entries of layers at and below the current entry. */
export function layerDepth(): number {
  const state: unknown = history.state;
  const depth = typeof state === 'object' && state !== null && 'layers' in state ? state.layers : 0;
  return typeof depth === 'number' ? depth : 0;
}

function whenArrived(work: () => void): void {
  if (waiting) waiting.push(work);
  else work();
}

function arrive(): void {
  const works = waiting ?? [];
  waiting = null;
  // One of them may begin the next traversal, for which the others wait.
  for (const work of works) whenArrived(work);
  reconcileSoon();
}

/** Goes back by a number of layers' entries, then does `next`. */
function goDown(entries: number, next: () => void): void {
  if (entries === 0) {
    next();
    return;
  }
  const works = [next];
  waiting = works;
  history.go(-entries);
  setTimeout(() => waiting === works && arrive(), GIVE_UP_MS);
}

/** Gives each open layer one entry. It waits for the end of the task, because one layer may take another's place in it. */
function reconcileSoon(): void {
  setTimeout(() => {
    if (waiting) return;
    const depth = layerDepth();
    for (let layers = depth + 1; layers <= open.length; layers += 1)
      history.pushState({ ...history.state, layers }, '');
    if (depth > open.length) goDown(depth - open.length, () => {});
  }, 0);
}

/** Closes the layers above a depth, the topmost first. */
function closeAbove(depth: number): void {
  for (const layer of open.slice(depth).reverse()) layer.close();
  reconcileSoon();
}

function onPopState(event: PopStateEvent): void {
  const isSamePage = location.href === shownHref;
  shownHref = location.href;
  // Other listeners are told of pages only, not of layers.
  if (isSamePage) event.stopImmediatePropagation();
  if (waiting) {
    arrive();
    return;
  }
  closeAbove(layerDepth());
}

if (globalThis.window !== undefined) {
  window.addEventListener('popstate', onPopState, { capture: true });
  // Events of the router's library, wouter, after it has set an entry.
  for (const type of ['pushState', 'replaceState'])
    window.addEventListener(type, () => {
      shownHref = location.href;
    });
  // After a reload, entries of layers are left that are no longer open.
  reconcileSoon();
}

/** Makes the browser's way back call `onClose` while a layer is open. A layer that opens later lies above. */
export function useLayer(isOpen: boolean, onClose: () => void): void {
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    if (!isOpen) return;
    const layer = { close: () => close.current() };
    open.push(layer);
    reconcileSoon();
    return () => {
      open.splice(open.indexOf(layer), 1);
      reconcileSoon();
    };
  }, [isOpen]);
}

/**
 * Navigates so that no entry of a layer stays behind: a new page closes the layers and takes the entry of the lowest layer, and a page that replaces the
 * current one takes the entry below the layers.
 * @param navigate sets the entry; its argument is whether it must replace the current one
 */
export function navigateFromLayers(isReplacing: boolean, navigate: (isReplacing: boolean) => void): void {
  whenArrived(() => {
    const depth = layerDepth();
    const arriving = () => {
      navigate(isReplacing || depth > 0);
      // A page may be kept while another is shown; an open sheet would cost the forward button its entries on the return.
      if (isReplacing) reconcileSoon();
      else closeAbove(0);
    };
    goDown(isReplacing ? depth : Math.max(0, depth - 1), arriving);
  });
}

/** Goes back to the previous page, or does `otherwise` if there is none; open layers do not count. */
export function goBackFromLayers(hasPrevious: () => boolean, otherwise: () => void): void {
  whenArrived(() => {
    if (hasPrevious()) history.go(-1 - layerDepth());
    else otherwise();
  });
}
