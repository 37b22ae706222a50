import { describe, expect, test } from 'vitest';
import {
  EMPTY_FORM,
  errors,
  keptFor,
  PICTURE_FIELDS,
  type RealNameForm,
  summarise,
  TEXT_FIELDS,
} from './real-name-model.ts';

const DEMO = { mode: 'demo', restrictedRegions: ['US'] } as const;
const LIVE = { ...DEMO, mode: 'live' } as const;
const photo = () => new Blob([new Uint8Array(8)]);

const WHOLE: RealNameForm = {
  ...EMPTY_FORM,
  ...Object.fromEntries(TEXT_FIELDS.map((field) => [field, field === 'idCountry' ? 'SG' : ` ${field} `])),
  ...Object.fromEntries(PICTURE_FIELDS.map((field) => [field, photo()])),
};

describe('the form of the real name', () => {
  test('requires eight parts and names each missing one (S3-27 to S3-33, S5-11)', () => {
    expect(Object.keys(errors(EMPTY_FORM, DEMO)).sort()).toEqual([...TEXT_FIELDS, ...PICTURE_FIELDS].sort());
    expect(errors(WHOLE, DEMO)).toEqual({});
    for (const field of TEXT_FIELDS) {
      const without = { ...WHOLE, [field]: '  ' };
      expect(errors(without, DEMO)).toEqual({ [field]: 'fault.required' });
      expect(summarise(without, DEMO)).toMatchObject({ done: 7, isComplete: false });
    }
    for (const field of PICTURE_FIELDS) {
      expect(errors({ ...WHOLE, [field]: null }, DEMO)).toEqual({
        [field]: 'fault.required',
      });
    }
  });

  test('of a passport asks for no back, and sends none that was chosen before', () => {
    const passport = { ...WHOLE, idType: 'passport' };
    const summary = summarise(passport, DEMO);
    expect([Object.keys(summary.pictures), summary.done, summary.isComplete]).toEqual([['idFront'], 7, true]);
    expect(errors({ ...passport, idBack: null }, DEMO)).toEqual({});
    const without = { ...passport, idFront: null };
    expect(errors(without, DEMO)).toEqual({ idFront: 'fault.required' });
    expect(summarise(without, DEMO).isComplete).toBe(false);
  });

  test('sends texts without surrounding space, and the document’s address also as the current one if they are the same', () => {
    const { fields, pictures, isComplete } = summarise(WHOLE, DEMO);
    expect(fields).toMatchObject({ realName: 'realName', idCountry: 'SG', currentAddress: 'currentAddress' });
    expect([Object.keys(pictures), isComplete]).toEqual([['idFront', 'idBack'], true]);
    const there = { ...WHOLE, livesThere: true };
    expect(summarise(there, DEMO).fields.currentAddress).toBe('idAddress');
    // The address typed before is still there when the choice is undone.
    expect(summarise({ ...there, livesThere: false }, DEMO).fields.currentAddress).toBe('currentAddress');
  });

  test('warns of a restricted region in demo and refuses it in live (S1-25)', () => {
    const american = { ...WHOLE, idCountry: 'US' };
    expect(summarise(american, DEMO)).toMatchObject({ isRestricted: true, isBarred: false });
    expect(errors(american, DEMO)).toEqual({});
    expect(errors(american, LIVE)).toEqual({ idCountry: 'real.regionBarred' });
    expect(summarise(WHOLE, LIVE)).toMatchObject({ isRestricted: false, isBarred: false });
  });

  test('fills empty fields from the last submission, and keeps typed text', () => {
    const kept = {
      realName: '张三丰',
      idCountry: null,
      idType: 'passport',
      idAddress: 'There',
      currentAddress: 'Here',
    };
    const form = { ...EMPTY_FORM, realName: '李' };
    expect(keptFor(form, kept)).toEqual({ idType: 'passport', idAddress: 'There', currentAddress: 'Here' });
    expect(keptFor(form, null)).toEqual({});
  });
});
