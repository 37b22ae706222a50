export class StoreError extends Error {
  constructor(cause: unknown) {
    super(`a picture could not be stored: ${(cause as Error).message}`, { cause });
  }
}
