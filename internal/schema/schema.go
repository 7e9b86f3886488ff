// Package schema owns the JSON Schemas of files: its tests make schemas/ of the keys that package config declares, of the
// types of records and findings, and of their comments. It has no code outside tests.
package schema
