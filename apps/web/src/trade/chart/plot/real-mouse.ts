const MOUSE_EVENTS = ['mouseenter', 'mousemove', 'mouseover', 'mousedown'] as const;
const POINTER_EVENTS = ['pointerenter', 'pointermove', 'pointerdown', 'pointerover'] as const;

/**
 * Keeps from a chart the mouse events that browsers invent after a tap, also after one that opened the screen: the chart would
 * leave its crosshair where the finger was.
 */
export class RealMouse {
  readonly #box: HTMLElement;
  /** Whether the last pointer over the box was a mouse. */
  isMouse = false;

  constructor(box: HTMLElement) {
    this.#box = box;
    for (const type of POINTER_EVENTS) box.addEventListener(type, this.#see, true);
    for (const type of MOUSE_EVENTS) box.addEventListener(type, this.#sift, true);
  }

  remove(): void {
    for (const type of POINTER_EVENTS) this.#box.removeEventListener(type, this.#see, true);
    for (const type of MOUSE_EVENTS) this.#box.removeEventListener(type, this.#sift, true);
  }

  readonly #see = (event: PointerEvent): void => {
    this.isMouse = event.pointerType !== 'touch';
  };

  readonly #sift = (event: MouseEvent): void => {
    if (!this.isMouse) event.stopImmediatePropagation();
  };
}
