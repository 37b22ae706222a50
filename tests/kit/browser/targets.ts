import type { Page } from 'playwright-core';

/** The least size of anything that is pressed (WCAG 2.5.8), and of a phone's main buttons, in CSS pixels. */
const LEAST = { any: 24, main: 44 };

/**
 * Controls that are too small to press, one line each. What takes the press counts: a control's own box, its label, and an area
 * around it that a pseudo-element adds. Links within a sentence are as high as its lines.
 * @param hasMain whether main buttons need the size for a thumb: those that send or confirm, and the tabs at the bottom
 */
export function targetFaults(page: Page, hasMain: boolean): Promise<string[]> {
  return page.evaluate(
    ({ least, hasMain }) => {
      const CONTROLS = 'a[href], button, input, select, textarea, summary, [role=option]';
      const MAIN = '[data-look=gold], [data-look=bad], [data-block], [data-tabbar] nav a';
      /** Rounding of a box. */
      const SLACK = 0.5;

      interface Size {
        readonly width: number;
        readonly height: number;
      }
      const sizeOf = (element: Element): Size => element.getBoundingClientRect();

      /** The box of a pseudo-element that lies over or around its element; null if it has none. */
      function areaOf(element: Element, pseudo: string): Size | null {
        const style = getComputedStyle(element, pseudo);
        if (style.content === 'none' || style.position !== 'absolute') return null;
        return { width: Number.parseFloat(style.width), height: Number.parseFloat(style.height) };
      }

      function isInSentence(element: Element): boolean {
        if (getComputedStyle(element).display !== 'inline') return false;
        return [...(element.parentElement?.childNodes ?? [])].some(
          (node) => node.nodeType === Node.TEXT_NODE && (node.nodeValue ?? '').trim() !== '',
        );
      }

      function pressed(element: Element): Size {
        const label = element.closest('label');
        const areas = [element, ...(label ? [label] : [])].flatMap((part) => [
          sizeOf(part),
          areaOf(part, '::before'),
          areaOf(part, '::after'),
        ]);
        const width = Math.max(...areas.map((area) => area?.width ?? 0));
        const height = Math.max(...areas.map((area) => area?.height ?? 0));
        return { width, height };
      }

      const faults = new Set<string>();
      for (const element of document.querySelectorAll(CONTROLS)) {
        if (!element.checkVisibility({ visibilityProperty: true }) || element.closest('.sr')) continue;
        const own = sizeOf(element);
        // Shown to the keyboard alone, as links that skip a part are.
        if (own.width < 2 || getComputedStyle(element).clipPath !== 'none' || isInSentence(element)) continue;
        const { width, height } = pressed(element);
        const bound = hasMain && element.matches(MAIN) ? least.main : least.any;
        if (Math.min(width, height) >= bound - SLACK) continue;
        const name = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40);
        faults.add(
          `<${element.localName} class="${element.className}"> ${JSON.stringify(name)} is ${Math.round(width)}×${Math.round(height)}, less than ${bound}`,
        );
      }
      return [...faults];
    },
    { least: LEAST, hasMain },
  );
}
