/** Four eyes on one case, from its reader's view. The database decides; this predicts its answer. */
export interface Eyes {
  /** Names of all who wrote any version of it. */
  readonly editors: readonly string[];
  /** Names of those who approved exactly what is shown. */
  readonly approvers: readonly string[];
  /** Names of those whose approval no longer counts: it was of other content, or its giver has lost the role. */
  readonly lapsed: readonly string[];
  /** Number of approvals still missing; null: nothing is proposed yet. */
  readonly missing: number | null;
  /** Why the reader may not approve it; null: they may. */
  readonly barred: 'role' | 'tooNew' | 'ownEdit' | 'alreadyApproved' | 'nothingProposed' | null;
}

interface Case {
  readonly content: string | null;
  readonly needed: number | null;
  readonly given: number | null;
  readonly events: readonly { readonly step: string; readonly by: Person | null }[];
  readonly approvals: readonly { readonly by: Person; readonly counts: boolean }[];
}
interface Person {
  readonly id: string;
  readonly name: string;
}
interface Reader {
  readonly id: string;
  readonly roles: readonly { readonly role: string; readonly usableFrom: number }[];
  readonly nowMs: number;
}

const EDITS = ['found', 'proposed'];

export function eyesOn(one: Case, reader: Reader): Eyes {
  const edits = one.events.filter(({ step, by }) => EDITS.includes(step) && by !== null);
  const role = reader.roles.find((held) => held.role === 'approver');
  const own = (people: readonly { by: Person | null }[]) => people.some(({ by }) => by?.id === reader.id);
  const counting = one.approvals.filter(({ counts }) => counts);
  const barred = () => {
    if (!role) return 'role';
    if (one.content === null) return 'nothingProposed';
    if (own(edits)) return 'ownEdit';
    if (own(counting)) return 'alreadyApproved';
    return role.usableFrom > reader.nowMs ? 'tooNew' : null;
  };
  return {
    editors: names(edits),
    approvers: names(counting),
    lapsed: names(one.approvals.filter(({ counts }) => !counts)),
    missing: one.content === null ? null : Math.max(0, (one.needed ?? 0) - (one.given ?? 0)),
    barred: barred(),
  };
}

const names = (people: readonly { by: Person | null }[]): string[] => [
  ...new Set(people.flatMap(({ by }) => (by === null ? [] : [by.name]))),
];
