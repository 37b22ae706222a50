import type { ReactNode } from 'react';
import type { Input } from '../shell/controls.tsx';
import type { Column } from '../shell/data-table.tsx';
import { Decision, Stated } from './decision.tsx';
import { type Proposal, ProposalsTable } from './proposals-table.tsx';

/** A part of the terms that are proposed: a column of tables, a line of the decision and a control of the form. */
export interface Field<Terms> {
  readonly label: string;
  /** In the decision, which leaves out what is empty; absent: its title or button says it. */
  readonly show?: (terms: Terms) => ReactNode;
  /** In tables, where that differs; false: it has no column. */
  readonly column?: false | ((terms: Terms) => ReactNode);
  readonly isNumber?: true;
  readonly input?: Omit<Input, 'label'>;
}

export const columnsOf = <Terms,>(fields: readonly Field<Terms>[]): Column<Terms>[] =>
  fields.flatMap(({ label, show, column = show, isNumber }) =>
    column ? [{ header: label, cell: column, ...(isNumber && { isNumber }) }] : [],
  );

export const inputsOf = (fields: readonly Field<never>[]): Input[] =>
  fields.flatMap(({ label, input }) => (input ? [{ label, ...input }] : []));

/** Proposals of one kind with the decision on each: all that is proposed, beside what is now. */
export function Proposals<Row extends Proposal>({
  fields,
  now,
  decision,
  ...table
}: Omit<Parameters<typeof ProposalsTable<Row>>[0], 'columns' | 'action'> & {
  readonly fields: readonly Field<Row>[];
  /** The terms that a proposal changes, as they are now. */
  readonly now?: (row: Row) => Partial<Row> | undefined;
  readonly decision: (row: Row) => Omit<Parameters<typeof Decision>[0], 'proposal' | 'children'>;
}) {
  const action = (row: Row) => {
    const before = { ...row, ...now?.(row) };
    return (
      <Decision proposal={row} {...decision(row)}>
        {fields.map(({ label, show }) => {
          const value = show?.(row);
          return value && <Stated key={label} name={label} value={value} was={show?.(before)} />;
        })}
      </Decision>
    );
  };
  return <ProposalsTable {...table} columns={columnsOf(fields)} action={action} />;
}
