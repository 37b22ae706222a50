import { whenLoaded } from './load-code.ts';

/** Loads the rules for more contrast and forced colours once the system asks for either; nobody else fetches them. */
export function followContrast(): void {
  const wish = matchMedia('(prefers-contrast: more), (forced-colors: active)');
  const look = () => {
    if (wish.matches) void whenLoaded(() => import('./contrast.css'));
  };
  look();
  wish.addEventListener('change', look);
}
