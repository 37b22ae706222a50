import type { Data } from '@fairtick/protocol';
import type { Faults } from '../parts/use-form.ts';

export const TEXT_FIELDS = [
  'realName',
  'idCountry',
  'idType',
  'idNumber',
  'idAddress',
  'currentAddress',
] as const;
export const PICTURE_FIELDS = ['idFront', 'idBack'] as const;
export const ID_TYPES = ['id_card', 'passport', 'driving_licence', 'residence_permit'] as const;

export type TextField = (typeof TEXT_FIELDS)[number];
export type PictureField = (typeof PICTURE_FIELDS)[number];

export type RealNameForm = Readonly<Record<TextField, string>> &
  Readonly<Record<PictureField, Blob | null>> & {
    readonly livesThere: boolean;
  };

export const EMPTY_FORM: RealNameForm = {
  realName: '',
  idCountry: '',
  idType: '',
  idNumber: '',
  idAddress: '',
  currentAddress: '',
  idFront: null,
  idBack: null,
  livesThere: false,
};

/** What the last submission has for empty fields. Typed text stays. */
export function keptFor(form: RealNameForm, kept: Data<'realInfo'>['kept']): Partial<RealNameForm> {
  const fields = ['realName', 'idCountry', 'idType', 'idAddress', 'currentAddress'] as const;
  const missing = fields.filter((field) => form[field] === '' && kept?.[field]);
  return Object.fromEntries(missing.map((field) => [field, kept?.[field]])) as Partial<RealNameForm>;
}

/** A passport has all on one page. */
export const needsBack = (idType: string): boolean => idType !== 'passport';

const picturesOf = (idType: string): readonly PictureField[] =>
  needsBack(idType) ? PICTURE_FIELDS : ['idFront'];

export interface Terms {
  readonly mode: 'demo' | 'live';
  readonly restrictedRegions: readonly string[];
}

export function errors(form: RealNameForm, terms: Terms): Faults<TextField | PictureField> {
  const faults: Faults<TextField | PictureField> = {};
  for (const field of TEXT_FIELDS) if (textOf(form, field) === '') faults[field] = 'fault.required';
  for (const field of picturesOf(form.idType)) if (form[field] === null) faults[field] = 'fault.required';
  if (summarise(form, terms).isBarred) faults.idCountry = 'real.regionBarred';
  return faults;
}

const textOf = (form: RealNameForm, field: TextField): string =>
  (field === 'currentAddress' && form.livesThere ? form.idAddress : form[field]).trim();

/**
 * What follows from the fields. `done`: the number of parts that are filled in, of eight, or seven for a passport. `isRestricted`: the house
 * may not serve this country, a warning in demo mode, a refusal in live mode.
 */
export function summarise(form: RealNameForm, terms: Terms) {
  const fields = Object.fromEntries(TEXT_FIELDS.map((field) => [field, textOf(form, field)])) as Record<
    TextField,
    string
  >;
  const wanted = picturesOf(form.idType);
  const pictures = Object.fromEntries(
    wanted.flatMap((field) => (form[field] ? [[field, form[field]]] : [])),
  ) as Partial<Record<PictureField, Blob>>;
  const done = TEXT_FIELDS.filter((field) => fields[field] !== '').length + Object.keys(pictures).length;
  const isRestricted = terms.restrictedRegions.includes(fields.idCountry);
  return {
    done,
    isComplete: done === TEXT_FIELDS.length + wanted.length,
    isRestricted,
    isBarred: isRestricted && terms.mode === 'live',
    fields,
    pictures,
  };
}
