; Up-down on a folded Clos of any size, with any number of tiers.
;
; The fabric: every node has a tier, a host below its switch; cables may join any two tiers. Hosts may hang off any of them.
; The forwarding: a switch that has the destination below it sends the packet down, to a node that has the destination
; below it too; any other switch sends it up, by any of its cables (hashed or pinned alike). A host is below itself.
;
; Modelled: one packet for d that has come over x -> y and goes on over y -> z; both hops are what the tables say. Every
; dependency between two buffers, those of the host links included, is such a turn. One lane.
; The rank of the buffer at the end of a link: links up come first, by growing tier; then links down, by falling tier.
(set-info :status unsat)
(set-logic QF_UFLIA)
; == The rule
(declare-sort Node 0)
(declare-fun tier (Node) Int)
(declare-fun below (Node Node) Bool)
(define-fun up ((s Node) (n Node)) Bool (< (tier s) (tier n)))
(define-fun down ((s Node) (n Node)) Bool (> (tier s) (tier n)))
(define-fun hop ((s Node) (n Node) (d Node)) Bool (and
    (=> (below s d) (down s n)) ; down where the destination is below
    (=> (not (below s d)) (up s n)) ; up where it is not
    (=> (down s n) (below n d)) ; down only to where it is below
  ))
(define-fun turn ((x Node) (y Node) (z Node) (d Node)) Bool (and
    (hop x y d)
    (hop y z d)
  ))
; == The rank
(define-fun rank-phase ((s Node) (n Node)) Int (ite (up s n) 0 1))
(define-fun rank-height ((s Node) (n Node)) Int (ite (up s n) (tier n) (- (tier n))))
(define-fun higher ((x Node) (y Node) (z Node)) Bool (or
    (> (rank-phase y z) (rank-phase x y))
    (and (= (rank-phase y z) (rank-phase x y)) (> (rank-height y z) (rank-height x y)))))
; == The theorem: no turn of a packet leaves the rank as it is or lowers it.
(declare-const x Node)
(declare-const y Node)
(declare-const z Node)
(declare-const d Node)
(assert (turn x y z d))
(assert (not (higher x y z)))
(check-sat)
