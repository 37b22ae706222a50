/** The program can't use the database or its data, and another start can't help. The message says in one line what is wrong and what helps. */
export class UnfitDatabaseError extends Error {}
