export async function changedTests(_revision: string): Promise<string[]> {
  return [];
}
