-- +goose Up
CREATE TABLE conversations (
	id TEXT NOT NULL PRIMARY KEY,
	owner TEXT NOT NULL,
	channel TEXT NOT NULL,
	name TEXT NOT NULL,
	email TEXT NOT NULL,
	phone TEXT NOT NULL,
	shared TEXT NOT NULL DEFAULT '',
	handed_off BIGINT NOT NULL DEFAULT 0,
	turns BIGINT NOT NULL DEFAULT 0,
	last_call BIGINT NOT NULL DEFAULT 0,
	created BIGINT NOT NULL,
	updated BIGINT NOT NULL
);

CREATE TABLE leases (
	conversation TEXT NOT NULL PRIMARY KEY,
	turn BIGINT NOT NULL,
	holder TEXT NOT NULL,
	until BIGINT NOT NULL
);

CREATE TABLE messages (
	conversation TEXT NOT NULL,
	seq BIGINT NOT NULL,
	turn BIGINT NOT NULL,
	at BIGINT NOT NULL,
	size BIGINT NOT NULL,
	body TEXT NOT NULL,
	PRIMARY KEY (conversation, seq)
);

CREATE TABLE events (
	conversation TEXT NOT NULL,
	seq BIGINT NOT NULL,
	turn BIGINT NOT NULL,
	at BIGINT NOT NULL,
	body TEXT NOT NULL,
	PRIMARY KEY (conversation, seq)
);

CREATE TABLE requests (
	conversation TEXT NOT NULL,
	name TEXT NOT NULL,
	turn BIGINT NOT NULL,
	PRIMARY KEY (conversation, name)
);

CREATE TABLE traces (
	conversation TEXT NOT NULL,
	call TEXT NOT NULL,
	body TEXT NOT NULL,
	PRIMARY KEY (conversation, call)
);

CREATE TABLE keys (
	id TEXT NOT NULL PRIMARY KEY,
	app TEXT NOT NULL,
	hash TEXT NOT NULL UNIQUE,
	scopes TEXT NOT NULL,
	created BIGINT NOT NULL,
	revoked BIGINT NOT NULL DEFAULT 0
);
