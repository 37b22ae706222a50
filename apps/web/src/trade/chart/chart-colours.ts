/** Reads CSS custom properties as the element computes them; the browser resolves references between them. */
export function colours(element: HTMLElement): (name: string) => string {
  const styles = getComputedStyle(element);
  return (name) => styles.getPropertyValue(name).trim();
}
