import type { Page } from 'playwright-core';

/**
 * Faults of the layout that a reader would see, one line each: content wider than the window; text or a control cut off by its
 * container; text, a control or a chart covered by something else; two texts over each other; content that is scrolled sideways where
 * the reader can't scroll it. Content scrolled out of a container, or beneath a bar that sticks
 * to its edge, is no fault.
 */
export function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    /** Rounding of a box, in CSS pixels. */
    const SLACK = 1.5;
    const faults = new Set<string>();
    const nameOf = (element: Element) =>
      `<${element.localName}> ${JSON.stringify((element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40))}`;
    const root = document.scrollingElement as Element;

    /** Whether a container within `outer` scrolls or clips the part. */
    const isScrolled = (part: Element, outer: Element): boolean =>
      containersOf(part).some(
        (at) =>
          at !== part && at !== outer && outer.contains(at) && getComputedStyle(at).overflowX !== 'visible',
      );

    function findWide(): void {
      for (const element of [root, ...document.querySelectorAll('main')]) {
        const room = element === root ? innerWidth : element.clientWidth;
        if (!element.checkVisibility() || element.scrollWidth <= room) continue;
        const edge = element.getBoundingClientRect().left + room;
        const widest = [...element.querySelectorAll('*')].find(
          (part) =>
            part.children.length === 0 &&
            part.getBoundingClientRect().right > edge &&
            !isScrolled(part, element),
        );
        faults.add(
          `<${element.localName}> is ${element.scrollWidth} px wide in ${room}${widest ? `, by ${nameOf(widest)}` : ''}`,
        );
      }
    }

    const isForEar = (element: Element) =>
      element.closest('.sr') !== null || getComputedStyle(element).clipPath !== 'none';

    /** Containers that can clip the element, from itself to the root; those an absolute or fixed position leaves out are not among them. */
    function containersOf(element: Element): Element[] {
      const found: Element[] = [];
      let { position } = getComputedStyle(element);
      for (let at: Element | null = element; at && at !== root; at = at.parentElement) {
        const style = getComputedStyle(at);
        if (at === element) found.push(at);
        else if (position === 'fixed') return found;
        else if (position !== 'absolute' || style.position !== 'static') {
          found.push(at);
          position = style.position;
        }
      }
      return found;
    }

    type Span = [number, number];
    /** What a container shows of an extent along one axis; null if it cuts it off. */
    function clip([start, end]: Span, overflow: string, [from, to]: Span): Span | null {
      if (overflow === 'visible') return [start, end];
      if (/hidden|clip/.test(overflow) && (start < from - SLACK || end > to + SLACK)) return null;
      return [Math.max(start, from), Math.min(end, to)];
    }

    /** Whether a container folds its contents away, or shortens a text on purpose. */
    const hides = (view: DOMRect, style: CSSStyleDeclaration, x: Span) =>
      view.width < 2 || view.height < 2 || (style.textOverflow === 'ellipsis' && x[1] > view.right + SLACK);

    /** The part of a box that can be seen; null if there is none, or if it is shortened on purpose. */
    function shownPart(element: Element, box: DOMRect): { x: Span; y: Span } | null {
      let x: Span = [box.left, box.right];
      let y: Span = [box.top, box.bottom];
      for (const container of containersOf(element)) {
        const style = getComputedStyle(container);
        const view = container.getBoundingClientRect();
        if (hides(view, style, x)) return null;
        const [shownX, shownY] = [
          clip(x, style.overflowX, [view.left, view.right]),
          clip(y, style.overflowY, [view.top, view.bottom]),
        ];
        if (!shownX || !shownY) {
          const [axis, [from, to]] = shownX ? ['y', y] : ['x', x];
          faults.add(
            `${nameOf(element)} is cut off by <${container.localName} class="${container.className}"> in ${axis}, ${Math.round(from)} to ${Math.round(to)}`,
          );
          return null;
        }
        [x, y] = [shownX, shownY];
      }
      x = [Math.max(x[0], 0), Math.min(x[1], innerWidth)];
      y = [Math.max(y[0], 0), Math.min(y[1], innerHeight)];
      return x[1] - x[0] < 3 || y[1] - y[0] < 3 ? null : { x, y };
    }

    /** Whether something lies there on purpose: a bar that sticks, a dialog. */
    function mayCover(hit: Element, element: Element): boolean {
      for (let at: Element | null = hit; at && !at.contains(element); at = at.parentElement) {
        if (at.localName === 'dialog' || /sticky|fixed/.test(getComputedStyle(at).position)) return true;
      }
      return false;
    }

    function isCovered(element: Element, px: number, py: number): Element | null {
      // Not found by a point, wherever it lies.
      if (getComputedStyle(element).pointerEvents === 'none') return null;
      const hit = document.elementFromPoint(px, py);
      if (!hit || hit.contains(element) || element.contains(hit)) return null;
      // A wider area for fingers, or an input without a look of its own, hides nothing.
      const own = hit.getBoundingClientRect();
      const isInside = px >= own.left && px <= own.right && py >= own.top && py <= own.bottom;
      if (!isInside || getComputedStyle(hit).opacity === '0') return null;
      if (element.localName === 'canvas' && hit.closest('[role=img]')?.contains(element)) return null;
      return mayCover(hit, element) ? null : hit;
    }

    function look(element: Element, box: DOMRect, points: readonly (readonly [number, number])[]): void {
      if (box.width <= 2 || box.height <= 2) return;
      const part = shownPart(element, box);
      if (!part) return;
      for (const [x, y] of points) {
        const px = part.x[0] + x * (part.x[1] - part.x[0]);
        const py = part.y[0] + y * (part.y[1] - part.y[0]);
        const hit = isCovered(element, px, py);
        if (!hit) continue;
        faults.add(`${nameOf(element)} is covered by ${nameOf(hit)} at ${Math.round(px)},${Math.round(py)}`);
        return;
      }
    }

    const MIDDLE = [[0.5, 0.5]] as const;
    const CORNERS = [
      [0.02, 0.02],
      [0.98, 0.02],
      [0.02, 0.98],
      [0.98, 0.98],
      [0.5, 0.5],
    ] as const;

    /** A line of text as it is seen: the middle of its height, because the boxes of close lines overlap where no letter is. */
    interface Line {
      readonly element: Element;
      readonly x: Span;
      readonly y: Span;
    }
    const lines: Line[] = [];

    function note(element: Element, box: DOMRect): void {
      const part = shownPart(element, box);
      if (!part) return;
      const inset = (part.y[1] - part.y[0]) / 4;
      lines.push({ element, x: part.x, y: [part.y[0] + inset, part.y[1] - inset] });
    }

    const shared = (a: Span, b: Span) => Math.min(a[1], b[1]) - Math.max(a[0], b[0]);

    function findOverlaps(): void {
      for (const [at, a] of lines.entries())
        for (const b of lines.slice(at + 1)) {
          if (shared(a.x, b.x) <= SLACK || shared(a.y, b.y) <= SLACK || a.element === b.element) continue;
          if (mayCover(a.element, b.element) || mayCover(b.element, a.element)) continue;
          faults.add(
            `${nameOf(a.element)} and ${nameOf(b.element)} overlap at ${Math.round(b.x[0])},${Math.round(b.y[0])}`,
          );
        }
    }

    /** Content scrolled sideways in a container without a scroll bar, and rows that scroll and are themselves cut off. */
    function findUnreachable(): void {
      for (const element of document.querySelectorAll('body *')) {
        if (element.scrollWidth <= element.clientWidth + SLACK || !element.checkVisibility()) continue;
        const { overflowX } = getComputedStyle(element);
        if (/hidden|clip/.test(overflowX) && Math.abs(element.scrollLeft) > SLACK)
          faults.add(
            `${nameOf(element)} is scrolled sideways by ${Math.round(element.scrollLeft)} px and has no scroll bar`,
          );
        if (/auto|scroll/.test(overflowX)) shownPart(element, element.getBoundingClientRect());
      }
    }

    function lookAtTexts(): void {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        const element = node.parentElement;
        if (!element || !node.nodeValue?.trim() || element.closest('option, svg')) continue;
        if (!element.checkVisibility({ visibilityProperty: true }) || isForEar(element)) continue;
        range.selectNodeContents(node);
        const isSeen = element.checkVisibility({ opacityProperty: true });
        for (const box of range.getClientRects()) {
          look(element, box, MIDDLE);
          if (isSeen && box.width > 2) note(element, box);
        }
      }
    }

    findWide();
    lookAtTexts();
    findOverlaps();
    findUnreachable();
    for (const element of document.querySelectorAll('button, input, select, textarea, img, canvas')) {
      const isSeen = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      if (!isSeen || isForEar(element)) continue;
      look(element, element.getBoundingClientRect(), element.localName === 'canvas' ? CORNERS : MIDDLE);
    }
    return [...faults];
  });
}
