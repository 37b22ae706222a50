/** Too much is under way or waits already: the caller gets 503 and may try again later. */
export class OverloadError extends Error {}
