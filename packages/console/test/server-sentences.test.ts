import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCore, Refusal } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { sayServer as de } from '../src/text/server/de.js'
import { sayServer as english } from '../src/text/server/en.js'
import { sayServer as es } from '../src/text/server/es.js'
import { sayServer as fr } from '../src/text/server/fr.js'
import { sayServer as italian } from '../src/text/server/it.js'
import { sayServer as nl } from '../src/text/server/nl.js'
import { sayServer as pl } from '../src/text/server/pl.js'
import { sayServer as pt } from '../src/text/server/pt.js'
import { serverSentences } from '../src/text/server/sentences.js'

/** What a refused call says at its fields, or as a whole. */
const refusalOf = async (call: Promise<unknown>): Promise<readonly string[]> => {
  const refusal = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(refusal instanceof Refusal)) throw new Error(`Expected a refusal, got ${String(refusal)}`)
  const { violations = [] } = refusal
  return violations.length === 0 ? [refusal.message] : violations.map(({ message }) => message)
}

const sources = ['core', 'http-express'].flatMap((name) => {
  const root = join(import.meta.dirname, '../..', name, 'src')
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(root, path), 'utf8').replaceAll('\\{', '{'))
})

/** Made of a limit and a unit; the calls below meet them. */
const isComposed = (sentence: string) => /^expected (at (most|least)|more than|a whole number, got)/.test(sentence)

const place = /(?<!\{)\{\w+\}(?!\})/

describe('the server’s sentences in the language of a person', () => {
  it.each(Object.entries({ de, es, fr, it: italian, nl, pl, pt }))(
    'have values at the places they name, in %s',
    (_, say) => {
      for (const sentence of serverSentences) {
        const said = say(sentence.split(place).join('42'), String)
        expect(said).not.toBe(sentence)
        expect(said).not.toMatch(place)
      }
    },
  )

  it.each(Object.entries({ english, de, es, fr, it: italian, nl, pl, pt }))(
    'are whole sentences, from a capital to a full stop, in %s',
    (_, say) => {
      const fragments = serverSentences
        .filter((sentence) => !/^\{/.test(sentence))
        .map((sentence) => say(sentence.split(place).join('42'), String))
        .filter((said) => !/^[\p{Lu}\d].*[.?]$/u.test(said))
      expect(fragments).toEqual([])
    },
  )

  it('name the kinds of pictures that can be uploaded', async () => {
    const refused =
      "Mime type 'application/pdf' not allowed! Allowed mime types are: image/png,image/webp,image/svg+xml"
    expect(english(refused)).toBe('Only pictures can be uploaded: PNG, WebP, SVG.')
    expect(de(refused, String)).toBe('Nur Bilder dieser Formate können hochgeladen werden: PNG, WebP, SVG.')
  })

  it('are still its own', () => {
    const unknown = serverSentences.filter((sentence) => {
      const parts = sentence.split(place).flatMap((part) => part.split(/(?<=found\. )|(?<=Try again in )|(?=\.$)/))
      return !isComposed(sentence) && !sources.some((source) => parts.every((part) => source.includes(part)))
    })
    expect(unknown).toEqual([])
  })

  it('are those of refused calls', async () => {
    const core = createCore(inMemoryPorts().ports)
    const { scope } = await sampleProject(core)
    const list = await core.subscriberLists.create(scope, { name: 'Readers' })
    await core.triggeredEmails.create(scope, {
      name: 'Welcome',
      subject: 'Hi',
      type: 'text',
      document: 'Hi',
      subscriberListId: list._id,
    })
    await core.contacts.create(scope, { email: 'ada@example.com' })
    const long = 'x'.repeat(100_000)
    const said = await Promise.all([
      refusalOf(core.subscriberLists.create(scope, { name: '' })),
      refusalOf(core.subscriberLists.create(scope, { name: long })),
      refusalOf(core.subscriberLists.create(scope, {} as never)),
      refusalOf(core.subscriberLists.remove(scope, list._id)),
      refusalOf(core.contacts.create(scope, { email: 'ada@example.com' })),
      refusalOf(core.contacts.create(scope, { email: 'ada' })),
      refusalOf(core.domains.create(scope, { domain: 'no domain' } as never)),
      refusalOf(core.webhooks.endpoints.create(scope, { url: 'ftp://example.com', types: [] })),
      refusalOf(core.projects.update(scope, { whiteList: ['https://example.com/'] })),
    ])
    expect(said.flat().map((sentence) => de(sentence, String))).toEqual([
      'Das Feld darf nicht leer sein.',
      'Höchstens 200 Zeichen sind erlaubt; es sind 100000.',
      'Das Feld name muss ausgefüllt sein.',
      'Die E-Mail Welcome verwendet die Liste.',
      'Diese E-Mail-Adresse gibt es schon.',
      'Das ist keine gültige E-Mail-Adresse.',
      'Ein Domainname wie example.com wird erwartet.',
      'Das Feld region muss ausgefüllt sein.',
      'Eine URL mit http oder https wird erwartet.',
      'Mindestens eine Art von Ereignissen ist nötig.',
      'Nur eine Domain wird erwartet, ohne Protokoll und Pfad.',
    ])
    expect(said.flat().map(english)).toEqual([
      'This must not be empty.',
      'Enter at most 200 characters; there are 100000.',
      'The field “name” is required.',
      'The list is in use by the email Welcome.',
      'Email already exists.',
      'This is not an email address.',
      'Enter a domain name such as example.com.',
      'The field “region” is required.',
      'Enter an http or https URL.',
      'Enter at least one type of event.',
      'Enter a bare domain, without protocol or path.',
    ])
  })

  it('keep the names in them, and stay as they are if nobody translated them', () => {
    expect(de('The list is in use by the email Welcome (no {{name}}).', String)).toBe(
      'Die E-Mail Welcome (no {{name}}) verwendet die Liste.',
    )
    expect(de('the content of the email must include {{verifyLink}}', String)).toBe(
      'Der Inhalt der E-Mail muss {{verifyLink}} enthalten.',
    )
    expect(de('expected at most 3 entries, got 4', String)).toBe('Höchstens 3 Einträge sind erlaubt; es sind 4.')
    expect(de('expected at most 3, got 4', String)).toBe('Erlaubt ist höchstens 3; es ist 4.')
    expect(de('line 1, column 7: unknown helper shout', String)).toBe('line 1, column 7: unknown helper shout')
  })
})
