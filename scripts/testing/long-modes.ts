import type { Stage } from './stage.ts';
export function listModes(): void {}
export async function runModes(_names: readonly string[]): Promise<Stage[]> {
  return [];
}
