/**
 * Reads CSS custom properties as the element computes them; the browser resolves references between them. Names of system colours,
 * as forced colours have them, become `#rrggbb`.
 */
export function colours(element: HTMLElement): (name: string) => string {
  const styles = getComputedStyle(element);
  const context = document.createElement('canvas').getContext('2d');
  return (name) => {
    const value = styles.getPropertyValue(name).trim();
    if (!context || !/^[A-Z]/.test(value)) return value;
    const probe = element.appendChild(document.createElement('i'));
    probe.style.cssText = `display: none; forced-color-adjust: none; color: ${value}`;
    context.fillStyle = getComputedStyle(probe).color;
    probe.remove();
    return context.fillStyle;
  };
}
