import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterAll, expect, it } from 'vitest'
import { htmlToPlainText, mjmlRenderer, sandboxProcesses } from '../src/index.js'

const processes = sandboxProcesses()
afterAll(() => processes.close())

const leaf = (tagName: string, content = '', attributes: object = {}) => ({ tagName, content, attributes })
const element = (tagName: string, ...children: readonly object[]) => ({ tagName, children })

const document = element(
  'mjml',
  element('mj-head', leaf('mj-title', 'News')),
  element(
    'mj-body',
    element(
      'mj-section',
      element('mj-column', leaf('mj-image', '', { src: 'https://example.com/a.png', href: 'https://example.com/' })),
      element(
        'mj-column',
        leaf('mj-text', 'See <a href="https://example.com/?a=1&amp;b=2">this</a> or <a href="{{order.url}}">that</a>.'),
        leaf('mj-button', 'Buy', { href: 'https://example.com/' }),
      ),
    ),
  ),
)

it('a visual document’s link names its component', async () => {
  const { ports, mailer } = inMemoryPorts({
    visualRenderer: mjmlRenderer(processes, 'https://mail.example.com/icons'),
    plainText: htmlToPlainText(processes),
  })
  const core = createCore(ports)
  const { scope } = await sampleProject(core)
  const { _id } = await core.transactionalEmails.create(scope, { name: 'News', subject: 'News', document })
  const url = `https://example.com/orders/${'7'.repeat(200)}`
  await core.sends.transactional(scope, { email: 'ada@example.com', transactionalId: _id, data: { order: { url } } })
  await core.worker.runUntilIdle()
  const html = (mailer.sent[0]?.mime ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=')
  const paths = [...html.matchAll(/"https:\/\/posthorn\.example\.com\/c\/([^"]+)"/g)].map(([, path = '']) =>
    path.split('/'),
  )
  const followed = await Promise.all(
    paths.map(([token = '', ref = '', signed]) => core.tracking.findLink({ token, ref, signed })),
  )
  expect(followed.map((one) => [one?.target, one?.block?.position, one?.block?.name])).toEqual([
    ['https://example.com/', '1.1.1', 'image'],
    ['https://example.com/?a=1&b=2', '1.2.1', 'text'],
    [url, '1.2.1', 'text'],
    ['https://example.com/', '1.2.2', 'button'],
    [undefined, undefined, undefined],
  ])
})
