/** Too many attempts; the caller may retry after `seconds`. */
export class ThrottledError extends Error {
  readonly seconds: number;

  constructor(seconds: number) {
    super('throttled');
    this.seconds = seconds;
  }
}
