import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameForm } from './index.ts';
import { areSameName } from './names.ts';

const LONG = 'Æthelred Söderström-Łukasiewicz & Sons Holding International Limited Partnership of Nowhere';

/** Names as payees give them, as banks write them, and whether they are the same; undefined where nothing is said. */
const PAIRS = [
  ['Jürgen Müller', 'JUERGEN MUELLER', true],
  ['Jürgen Müller', 'JURGEN MULLER', true],
  ['Søren Ærø', 'SOREN AERO', true],
  ['Søren', 'SOEREN', true],
  ['Åse Ångström', 'AASE AANGSTROEM', true],
  ['Łukasz Wróbel', 'LUKASZ WROBEL', true],
  ['Iğdır Şen', 'IGDIR SEN', true],
  ['Þórr Guðmundsson', 'THORR GUDMUNDSSON', true],
  ['Đorđe Straße', 'DORDE STRASSE', true],
  ['Zoë O’Neil', 'ZOE O NEIL', true],
  [LONG, LONG.slice(0, 35).toUpperCase(), true],
  [LONG, LONG.slice(0, 70).toUpperCase(), true],
  [LONG, 'AETHELRED SOEDERSTROEM LUKASIEWICZ SONS'.slice(0, 35), true],
  [LONG, LONG.slice(0, 20), false],
  [LONG, 'Aethelred Soderstrom Somebody Elses', false],
  ['x'.repeat(200), 'x'.repeat(70), true],
  ['x'.repeat(200), `${'x'.repeat(199)}y`, false],
  ['Joe Black', 'Jo Black', false],
  ['Michael Raab', 'Michal Raab', false],
  ['Joe Raab', 'Joe Rab', false],
  ['Joe Black', 'JOE BLACK', true],
  ['Mu\u0308ller', 'MUELLER', true],
  ['Jo Citizen', 'Mallory Smith', false],
  ['Jo Citizen', 'NOT PROVIDED', undefined],
  ['Jo Citizen', 'notprovided', undefined],
  ['Jo Citizen', '***', undefined],
] as const;

for (const [given, written, isSame] of PAIRS)
  test(`whether ${given.slice(0, 30)} is ${written.slice(0, 40)}: ${isSame}`, () => {
    assert.equal(areSameName(nameForm(written), nameForm(given)), isSame);
    assert.equal(areSameName(nameForm(given), nameForm(written)), isSame);
  });
