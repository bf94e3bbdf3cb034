--
-- PostgreSQL database dump
--

\restrict kUoVSsc3gBWX5mPq3qbhaKjoOUD3bSTO1aDZmYWklDLqSlsoyXoqE3FbEPZpanl

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Data for Name: subscribers; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.subscribers (id, uuid, email, name, attribs, status, created_at, updated_at) FROM stdin;
1	34e09635-0341-4161-a5a0-79d53aa91f75	ada@example.com	Ada Lovelace	{"vip": true, "born": "1815-12-10", "city": "London", "tags": ["a", "b"], "orders": [{"id": 1}], "address": {"geo": {"lat": 51.5}, "zip": "W1"}, "nothing": null, "projects": 3}	enabled	2021-03-04 10:11:12.345678+00	2021-03-05 00:00:00+00
2	2937d09b-17b0-45aa-a73b-c6c0a5a55c52	Tab.User@Example.com	Tab\tand\nnewline \\ back\\slash \\N	{"city": "Zürich 🏔", "note": "line\\nbreak \\\\ and \\"quotes\\"\\ttab"}	enabled	2021-03-04 10:11:12+00	2021-03-04 10:11:12+00
3	fa06f5c1-0884-4259-88e6-06783a282f51	waiting@example.com	Not Confirmed	{}	enabled	2022-01-01 00:00:00+00	2022-01-01 00:00:00+00
4	71fe983e-1114-4472-a512-a5678f609677	blocked@example.com	Blocked	{"city": "Rome"}	blocklisted	2022-01-01 00:00:00+00	2022-02-01 00:00:00+00
5	8d3bf748-e18e-4945-8db7-1f30aaa62eee	off@example.com	Disabled	{}	disabled	2022-01-01 00:00:00+00	2022-01-01 00:00:00+00
6	f42c5e25-11ef-4a4f-9f71-bb3dbcbfec34	bounced@example.com	Bounced	{}	enabled	2022-01-01 00:00:00+00	2022-01-01 00:00:00+00
7	30362f44-0395-4be8-a9a6-ff2395803671	spam@example.com	Complained	{}	enabled	2022-01-01 00:00:00+00	2022-01-01 00:00:00+00
8	1f7efb23-6761-433d-9417-0e3f4d9fe98b	soft@example.com	Soft	{"projects": "many"}	enabled	\N	\N
9	ac776bc1-2707-4693-9308-6653938ed568	not an address	Broken	{}	enabled	2022-01-01 00:00:00+00	2022-01-01 00:00:00+00
10	bcfecc46-a800-4f3b-b110-30ee477c0f67	nolist@example.com		[1, 2]	enabled	2022-01-01 00:00:00+00	2022-01-01 00:00:00+00
11	7acde100-53d6-4431-8df6-bccd56f3f2eb	long@example.com	Long	{"story": "long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long "}	enabled	2026-11-27 03:56:59.489937+00	2026-11-27 03:56:59.489937+00
\.


--
-- Data for Name: bounces; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.bounces (id, subscriber_id, campaign_id, type, source, meta, created_at) FROM stdin;
1	6	\N	soft	x	{}	2022-03-01 00:00:00+00
2	6	\N	hard	x	{"text": "user\\tunknown"}	2022-03-02 00:00:00+00
3	7	\N	hard	x	{}	2022-03-02 00:00:00+00
4	7	\N	complaint	x	{}	2022-03-03 00:00:00+00
5	8	\N	soft	x	{}	2022-03-03 00:00:00+00
\.


--
-- Data for Name: lists; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.lists (id, uuid, name, type, optin, tags, description, created_at, updated_at) FROM stdin;
1	ab257893-4f3c-4e5f-916e-cc651e4af37d	Default list	private	single	{}		2020-01-01 00:00:00+00	2020-01-01 00:00:00+00
2	7928f47b-a590-43c5-acf5-fc86fe0e7363	News & "Offers"\tfor\\all	public	double	{a,"b c"}	Two lines:\nthe second	2020-01-02 00:00:00+00	2020-01-02 00:00:00+00
3	0846a50d-3097-465a-915b-f9c304d71870	Übersicht 日本	public	single	\N		\N	\N
\.


--
-- Data for Name: subscriber_lists; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.subscriber_lists (subscriber_id, list_id, meta, status, created_at, updated_at) FROM stdin;
1	1	{}	unconfirmed	2021-03-04 10:11:12.345678+00	2021-03-04 10:11:12.345678+00
1	2	{"optin_ip": "203.0.113.7"}	confirmed	2021-03-04 10:11:12+00	2021-03-04 10:20:00+00
1	3	{}	unsubscribed	2021-03-04 10:11:12+00	2021-06-01 00:00:00+00
2	2	{}	confirmed	2021-03-04 10:11:12+00	2021-03-04 10:11:12+00
3	2	{}	unconfirmed	2022-01-01 00:00:00+00	2022-01-01 00:00:00+00
4	1	{}	unsubscribed	2022-01-01 00:00:00+00	2022-02-01 00:00:00+00
5	1	{}	confirmed	2022-01-01 00:00:00+00	2022-01-01 00:00:00+00
6	1	{}	confirmed	2022-01-01 00:00:00+00	2022-01-01 00:00:00+00
7	3	{}	confirmed	\N	\N
8	3	{}	confirmed	2022-01-01 00:00:00+00	2022-01-01 00:00:00+00
11	3	{}	confirmed	2022-01-01 00:00:00+00	2022-01-01 00:00:00+00
\.


--
-- Data for Name: templates; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.templates (id, name, type, subject, body, is_default, created_at, updated_at) FROM stdin;
1	Default campaign template	campaign		<html>\n<body>{{ template "content" . }}\n{{ TrackView }}</body>\n</html>	t	2020-01-01 00:00:00+00	2026-11-27 03:56:59.493083+00
2	Order	tx	Order {{ .Tx.Data.order_id }}	<p>Hello {{ .Subscriber.Name }},</p>\n<p>from {{- .Subscriber.Attribs.city -}} </p>\n{{ if eq .Subscriber.Attribs.city "London" }}near{{ else if .Subscriber.Attribs.vip }}vip{{ else }}far{{ end }}\n<a href="https://shop.example.com/o?id={{ .Tx.Data.order_id }}@TrackLink">Order</a>{{ TrackView }}{{/* note */}}	f	2020-01-01 00:00:00+00	2026-11-27 03:56:59.493083+00
3	Loop	tx	Loop	<p>Hello {{ .Subscriber.FirstName }}</p>\n{{ range .Tx.Data.items }}<li>{{ .name | upper }}</li>{{ end }}	f	2020-01-01 00:00:00+00	2026-11-27 03:56:59.493083+00
\.


--
-- Name: bounces_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.bounces_id_seq', 5, true);


--
-- Name: lists_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.lists_id_seq', 1, false);


--
-- Name: subscribers_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.subscribers_id_seq', 1, false);


--
-- Name: templates_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.templates_id_seq', 1, false);


--
-- PostgreSQL database dump complete
--

\unrestrict kUoVSsc3gBWX5mPq3qbhaKjoOUD3bSTO1aDZmYWklDLqSlsoyXoqE3FbEPZpanl

