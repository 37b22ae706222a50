/** `BENCH_SIZE=small`: a run of some seconds that measures nothing, for the test that each benchmark still works. */
const IS_SMALL = process.env.BENCH_SIZE === 'small';

/** A count or a duration that is `small` in a small run. */
export const sized = <T>(full: T, small: T): T => (IS_SMALL ? small : full);
