import type pg from 'pg';
import { failureOf } from '../../platform/db/database.ts';
import { refusalOf } from '../../platform/http/context.ts';

export const outOfBounds = (part: string) => refusalOf('RULES_OUT_OF_BOUNDS', null, { part });

/** The refusal that names the part that the database finds out of bounds, or the error itself. */
export const namingPart = (error: unknown): unknown =>
  failureOf(error) === 'RULES_OUT_OF_BOUNDS'
    ? outOfBounds((error as pg.DatabaseError).detail ?? 'rules')
    : error;
